// The page of a gateway without a build of the console. It asks again by itself, because a build may be in progress.

const ASK_AGAIN_S = 3;

export const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="refresh" content="${ASK_AGAIN_S}" />
    <title>Millrace</title>
  </head>
  <body>
    <h1>The console is not built yet</h1>
    <p><code>npm start</code> builds the console in the background after its start. This page reloads until the build is complete.</p>
    <p>If it does not appear, read the output of <code>npm start</code>, or build it:</p>
    <pre>node console/build.mjs --out DIR</pre>
    <p>and start the gateway with <code>CONSOLE_DIR=DIR</code>. The API works without the console.</p>
  </body>
</html>
`;
