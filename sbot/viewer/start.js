// Starts the page, when everything else is there.
'use strict';

const given = JSON.parse($('run').textContent);
resize();
if (given) openRecording(given); else listen();
requestAnimationFrame(tick);
