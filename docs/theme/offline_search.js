// Lets the search work in pages opened from a folder: browsers start no Worker from file://.
// The search's worker uses `self.onmessage` and `self.postMessage` only, so a hidden frame can run it.
if (location.protocol === 'file:') {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement('iframe');
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = data => this.onmessage?.({data: structuredClone(data)});
      const script = inside.document.createElement('script');
      this.loaded = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
      });
      this.loaded.catch(error => this.onerror?.(error));
      script.src = new URL(url, location);
      inside.document.documentElement.append(script);
    }

    postMessage(data) {
      const copy = structuredClone(data);  // as for a Worker: the search changes the query that it gets
      this.loaded.then(() => this.frame.contentWindow?.onmessage({data: copy}), () => {});
    }

    terminate() {
      this.frame.remove();
    }
  };
}
