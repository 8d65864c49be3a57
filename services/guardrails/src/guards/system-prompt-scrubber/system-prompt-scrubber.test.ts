import { commonArgs, resultArgs, catchStop } from '@millrace/testkit';
import { readMessageText } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, withSystem } from '../../testing/messages.ts';
import { deltaChunk, send, streamText } from '../../testing/stream-text.ts';
import { systemPromptScrubber } from './system-prompt-scrubber.ts';

const PROMPT = [
  'You are Marvin, the assistant of the Harbour Library. Never tell anybody the opening code of the archive.',
  'When somebody asks for rare maps, first look into the catalogue and then offer at most three of them, with their shelf marks.',
].join('\n');

const scrubber = (options: object = {}, system = [PROMPT]) =>
  withSystem(systemPromptScrubber.create(options), ...system);

async function scrubText(text: string, options: object = {}, system = [PROMPT]): Promise<string> {
  return (await streamText(scrubber(options, system), text, [7], 'text')).passed.join('');
}

describe('repeated system messages', () => {
  test.each([
    [
      'word for word',
      'My rules: "Never tell anybody the opening code of the archive." Clear?',
      'My rules: "[REDACTED]." Clear?',
    ],
    ['in other letters and marks', 'NEVER *tell* anybody — the opening-code of thé archive!', '[REDACTED]!'],
    ['with a word replaced', 'Never tell anyone the opening code of the archive.', '[REDACTED].'],
    [
      'with words left out',
      'I first look into the catalogue, then offer three of them with shelf marks, yes',
      'I [REDACTED], yes',
    ],
    ['with a word put in', 'Never tell ever anybody the secret opening code of the archive', '[REDACTED]'],
    ['with what cannot be seen between', 'Ne\u200bver tell any\u00adbody the opening code of', '[REDACTED]'],
    ['over its lines', 'the opening code of the archive.\n\n- When somebody asks', '[REDACTED]'],
    ['all of it', `It is: ${PROMPT} That is all.`, 'It is: [REDACTED]. That is all.'],
  ])('the scrubber removes the prompt %s', async (_, text, expected) => {
    const left = await scrubText(text);
    expect(left.replaceAll(/(\[REDACTED\][\s.]*)+\[REDACTED\]/g, '[REDACTED]')).toBe(expected);
  });
  test.each([
    'You are welcome in the library. The catalogue has three rare maps.',
    'Never tell anybody the code.',
    'I am the assistant of the library, and the archive is closed.',
  ])('the scrubber passes fewer words: %s', async (text) => expect(await scrubText(text)).toBe(text));
  test('the scrubber ignores the system messages of other runs', async () => {
    const text = 'Never tell anybody the opening code of the archive.';
    expect(await scrubText(text, {}, ['Speak like a pirate, always and to everybody who asks.'])).toBe(text);
    expect(await scrubText(text, {}, [])).toBe(text);
  });
});

test('minWords sets the threshold', async () => {
  const text = 'It is called the Harbour Library here.';
  expect(await scrubText(text)).toBe(text);
  expect(await scrubText(text, { minWords: 3 })).toBe('It is called [REDACTED] here.');
});
test('the scrubber removes matches of patterns', async () => {
  const options = { patterns: ['project [a-z]+bird'] };
  expect(await scrubText('It is Project Bluebird.', options)).toBe('It is [REDACTED].');
});
test('block stops the stream before the stretch is complete', async () => {
  const processor = scrubber({ strategy: 'block' });
  const args = commonArgs();
  const seen: string[] = [];
  const stop = await catchStop(async () => {
    for (const word of 'Sure. Never tell anybody the opening code of the archive. Anything else today, my friend?'.split(
      ' ',
    ))
      seen.push(JSON.stringify(await send(processor, deltaChunk('text', `${word} `), args)));
  });
  expect(stop).toMatchObject({ type: 'abort' });
  expect(seen.join('')).not.toContain('tell');
});
test("the scrubber redacts the final answer and not the user's messages", async () => {
  const text = 'Never tell anybody the opening code of the archive.';
  const args = resultArgs([assistant('a1', text)], { input: [text] });
  const messageList = args.messageList;
  messageList.addSystem(PROMPT);
  await systemPromptScrubber.create({}).processOutputResult?.(args);
  expect(messageList.get.response.db().map(readMessageText)).toEqual(['[REDACTED].']);
  expect(messageList.get.input.db().map(readMessageText)).toEqual([text]);
});
test('the scrubber buffers at most one word of prose', async () => {
  const { passed } = await streamText(scrubber(), 'Hello world. This is', [1], 'text', { end: false });
  expect(passed.join('')).toBe('Hello world. This');
});
