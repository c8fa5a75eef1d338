"""Count what a reader of a built site sees broken, in a real browser: names, blocks, searches."""

from __future__ import annotations

from typing import Any

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

_LINKS = ('[...document.querySelectorAll("*")].flatMap(e => e.shadowRoot ? '
          '[...e.shadowRoot.querySelectorAll("a")] : []).map(a => a.href)')


def open_page(browser: Any, address: str) -> None:  # noqa: ANN401 - of the tests
    """Open a page of the site and wait until its scripts have run."""
    browser.call('Page.navigate', url='about:blank')
    browser.call('Page.navigate', url=address)
    browser.wait_for('document.readyState === "complete" && '
                     '!!document.querySelector(".md-search__button")')


def show_scheme(browser: Any, scheme: str) -> None:  # noqa: ANN401
    """Show the page that is open in a colour scheme."""
    browser.evaluate(f'document.body.setAttribute("data-md-color-scheme", "{scheme}")')


def start_search(browser: Any, words: str) -> None:  # noqa: ANN401
    """Type words into the search of the page that is open."""
    # The button does nothing until the search has started.
    browser.wait_for('document.querySelector(".md-search__button").click() || '
                     '[...document.querySelectorAll("*")].some(e => '
                     'e.shadowRoot?.querySelector("input"))')
    browser.call('Input.insertText', text=words)
    browser.wait_for(f'{_LINKS}.some(a => a.includes(".html"))')


def results(browser: Any) -> list[str]:  # noqa: ANN401
    """Return the addresses that the search shows, best first."""
    found: list[str] = browser.evaluate(_LINKS)
    return [address for address in found if '.html' in address]
