// A plain TCP client: sends lines, and returns the received data once it contains the expected text.
import { createConnection } from 'node:net';

const ANSWER_TIMEOUT_MS = 5_000;

export function exchange(url: string, request: string, awaited: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection({ host: hostname, port: Number(port) }, () => socket.write(request));
    socket.setEncoding('utf8').setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy(new Error(`no ${JSON.stringify(awaited)} in ${JSON.stringify(answer)}`));
    });
    socket.on('data', (text: string) => {
      answer += text;
      if (answer.includes(awaited)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
