"""Count what a reader of a built site sees broken, in a real browser: names, blocks, searches."""

import json
from contextlib import contextmanager

# Names in cells that are on more lines than one; a name has no space and no slash.
BROKEN_NAMES = """[...document.querySelectorAll('td code')]
  .filter(e => /^[\\w.:-]+$/.test(e.textContent) && e.getClientRects().length > 1)
  .map(e => e.textContent)"""

# What is wider than the page and cannot be scrolled, and tables that widen the page.
CLIPPED = """(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is too wide');
  for (const e of document.querySelectorAll('.md-content table, .md-content pre, .md-content img, '
      + '.md-content video')) {
    let box = e, scrolls = false;
    for (let p = e; p && !p.classList.contains('md-content'); p = p.parentElement)
      scrolls = scrolls || ['auto', 'scroll'].includes(getComputedStyle(p).overflowX);
    for (const inner of e.querySelectorAll('code'))
      scrolls = scrolls || ['auto', 'scroll'].includes(getComputedStyle(inner).overflowX);
    if (e.getBoundingClientRect().right > innerWidth + 1 && !scrolls)
      found.push(e.tagName + ': ' + e.textContent.slice(0, 40));
  }
  return found;
})()"""

# How much of the first code block is hidden at the right (px).
FIRST_BLOCK = """(() => {
  const e = document.querySelector('.md-content pre > code');
  return e ? e.scrollWidth - e.clientWidth : 0;
})()"""

# Pictures that are missing, or of which neither the light nor the dark version is seen.
HIDDEN_PICTURES = """(() => {
  const groups = new Map();
  for (const e of document.querySelectorAll('.md-content img')) {
    const key = e.parentElement;
    groups.set(key, [...(groups.get(key) || []), e]);
  }
  return [...groups.values()].filter(all => !all.some(
    e => e.complete && e.naturalWidth > 0 && e.getBoundingClientRect().width > 0))
    .map(all => all[0].src);
})()"""

SCHEMES = ('default', 'slate')  # light and dark

_ROOTS = '[...document.querySelectorAll("*")].map(e => e.shadowRoot).filter(e => e)'
_INPUT = f'{_ROOTS}.map(e => e.querySelector("input[type=text]")).find(e => e)'
_LINKS = (f'{_ROOTS}.flatMap(e => [...e.querySelectorAll("a")]).map(a => new URL(a.href))'
          '.filter(a => a.pathname.endsWith(".html"))')


def open_page(browser, address):
    """Open a page of the site and wait until its scripts have run."""
    browser.call('Page.navigate', url='about:blank')
    browser.call('Page.navigate', url=address)
    browser.wait_for('document.readyState === "complete" && '
                     '!!document.querySelector(".md-search__button")')


@contextmanager
def without_search(browser):
    """Open pages without what their search loads, which takes half of their processor time."""
    browser.call('Network.enable')
    browser.call('Network.setBlockedURLs', urls=['*search.js'])
    yield
    browser.call('Network.setBlockedURLs', urls=[])
    browser.call('Network.disable')


def show_scheme(browser, scheme):
    """Show the page that is open in a colour scheme."""
    browser.evaluate(f'document.body.setAttribute("data-md-color-scheme", "{scheme}")')


def start_search(browser):
    """Open the search of the page that is open."""
    # The button does nothing until the search has started.
    browser.wait_for('document.querySelector(".md-search__button").click() || '
                     f'{_INPUT} !== undefined')


def search(browser, words):
    """Type words into the open search, letter by letter in place of what is there.

    Returns the addresses that it shows, best first, without the words that they mark.
    """
    browser.call('Input.dispatchKeyEvent', type='keyDown', key='a', modifiers=2,
                 commands=['selectAll'])
    for letter in words:
        browser.call('Input.dispatchKeyEvent', type='keyDown', key=letter, text=letter)
        browser.call('Input.dispatchKeyEvent', type='keyUp', key=letter)
    marked = json.dumps(words)
    browser.wait_for(f'{_INPUT}.value === {marked} && {_LINKS}.length > 0 && '
                     f'{_LINKS}.every(a => a.searchParams.get("h") === {marked})')
    found: list[str] = browser.evaluate(f'{_LINKS}.map(a => (a.search = "", a.href))')
    return found
