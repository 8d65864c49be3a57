import { describe, expect, test } from 'vitest';
import { scriptBlocks, withoutScripts } from './script-block.ts';

const sources = (text: string) => scriptBlocks(text).map(({ source, closed }) => ({ source, closed }));

describe('a script block', () => {
  test.each([
    ['on lines of its own', 'Go.\n```script\n[{"text":"a"}]\n```\nThanks.'],
    ['with its line breaks collapsed', 'Go. ```script [{"text":"a"}] ``` Thanks.'],
    ['with no white space at all', '```script[{"text":"a"}]```'],
    ['with blank lines and tabs', '```script \t\r\n\r\n  [{"text":"a"}]\n\n\t```'],
  ])('is found %s', (_, text) => {
    expect(sources(text)).toEqual([{ source: '[{"text":"a"}]', closed: true }]);
  });

  test('may hold fences, brackets and quotes in its own texts', () => {
    const source = JSON.stringify([{ text: 'Run ```js\nlist[0] = "\\"]";\n``` now' }]);
    expect(sources(`\`\`\`script\n${source}\n\`\`\``)).toEqual([{ source, closed: true }]);
  });

  test('is not a block with another tag', () => {
    expect(sources('```scripts\n[]\n```')).toEqual([]);
    expect(sources('```javascript\n[]\n```')).toEqual([]);
    expect(sources('```script-x\n[]\n```')).toEqual([]);
  });

  test('is told apart where it is not closed', () => {
    expect(sources('```script\n[{"text":"a"}]')).toEqual([{ source: '[{"text":"a"}]', closed: false }]);
    expect(sources('```script\n[{"text":"a"\n```')).toEqual([{ source: '[{"text":"a"', closed: true }]);
  });

  test('is cut out of what the user said, however many there are', () => {
    expect(withoutScripts('Hello ```script [] ``` there ```script [] ```')).toBe('Hello  there');
    expect(withoutScripts('No script here.')).toBe('No script here.');
  });
});
