// A model that speaks chat completions over HTTP and streams one answer, a card number cut over two pieces.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';

export const CARD = '4111 1111 1111 1111';
export const PIECES = ['The card is 4111 11', '11 1111 1111, ', 'thank you.'];

function completion(member, content, finish) {
  const choice = { index: 0, [member]: { role: 'assistant', content }, finish_reason: finish };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const object = member === 'delta' ? 'chat.completion.chunk' : 'chat.completion';
  return { id: 'chatcmpl-1', object, created: 1, model: 'stand-in', choices: [choice], ...(finish && { usage }) };
}

/** @returns {Promise<{ url: string, close: () => void }>} */
export async function startModel() {
  const answer = (request, response, body) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    if (!JSON.parse(body).stream)
      return void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(completion('message', PIECES.join(''), 'stop')));
    response.setHeader('content-type', 'text/event-stream');
    for (const piece of PIECES) response.write(`data: ${JSON.stringify(completion('delta', piece, null))}\n\n`);
    response.end(`data: ${JSON.stringify(completion('delta', '', 'stop'))}\n\ndata: [DONE]\n\n`);
  };
  const server = createServer((request, response) => {
    void readText(request).then((body) => answer(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => server.close().closeAllConnections(),
  };
}
