// Reads server-sent events of a response. EventSource cannot name the last received event of an earlier page.
import { EventSourceParserStream } from 'eventsource-parser/stream';

export type ReceivedEvent = { id: string | undefined; event: string | undefined; data: string };

export async function* readEvents(response: Response): AsyncGenerator<ReceivedEvent, void> {
  if (!response.body) return;
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { id: value.id, event: value.event, data: value.data };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
