import { describe, expect, test } from 'vitest';
import { findScriptBlocks, stripScripts } from './script-block.ts';

const sources = (text: string) => findScriptBlocks(text).map(({ source, closed }) => ({ source, closed }));

describe('a script block', () => {
  test.each([
    ['on lines of its own', 'Go.\n```script\n[{"text":"a"}]\n```\nThanks.'],
    ['with its line breaks collapsed', 'Go. ```script [{"text":"a"}] ``` Thanks.'],
    ['with no white space at all', '```script[{"text":"a"}]```'],
    ['with blank lines and tabs', '```script \t\r\n\r\n  [{"text":"a"}]\n\n\t```'],
  ])('findBlocks finds a script %s', (_, text) => {
    expect(sources(text)).toEqual([{ source: '[{"text":"a"}]', closed: true }]);
  });

  test('a script can contain fences, brackets and quotes in its texts', () => {
    const source = JSON.stringify([{ text: 'Run ```js\nlist[0] = "\\"]";\n``` now' }]);
    expect(sources(`\`\`\`script\n${source}\n\`\`\``)).toEqual([{ source, closed: true }]);
  });

  test('a block with another tag is no script', () => {
    expect(sources('```scripts\n[]\n```')).toEqual([]);
    expect(sources('```javascript\n[]\n```')).toEqual([]);
    expect(sources('```script-x\n[]\n```')).toEqual([]);
  });

  test('an unclosed block is reported as unclosed', () => {
    expect(sources('```script\n[{"text":"a"}]')).toEqual([{ source: '[{"text":"a"}]', closed: false }]);
    expect(sources('```script\n[{"text":"a"\n```')).toEqual([{ source: '[{"text":"a"', closed: true }]);
  });

  test('stripScripts removes every script from the user text', () => {
    expect(stripScripts('Hello ```script [] ``` there ```script [] ```')).toBe('Hello  there');
    expect(stripScripts('No script here.')).toBe('No script here.');
  });
});
