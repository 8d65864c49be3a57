import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@millrace/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { qdrantAccessSchema } from './qdrant-access.ts';

let file = '';
beforeEach(() => void (file = join(mkdtempSync(join(tmpdir(), 'millrace-qdrant-')), 'key')));
afterEach(() => rmSync(join(file, '..'), { recursive: true, force: true }));
const QDRANT_URL = 'https://qdrant:6333';
const readKey = (env: Record<string, string>) => readConfig(qdrantAccessSchema, { QDRANT_URL, ...env }).qdrantKey;

describe('the API key of Qdrant', () => {
  test('is that of the variable or of the file', () => {
    writeFileSync(file, 'of-the-file\n');
    expect(readKey({})).toBeUndefined();
    expect(readKey({ QDRANT_API_KEY: 'of-the-variable' })).toBe('of-the-variable');
    expect(readKey({ QDRANT_API_KEY_FILE: file })).toBe('of-the-file');
  });

  test('is rejected if both are set, or the file is empty or missing', () => {
    writeFileSync(file, '\n');
    const both = { QDRANT_API_KEY: 'hidden', QDRANT_API_KEY_FILE: file };
    expect(() => readKey(both)).toThrow(/QDRANT_API_KEY: is set together/);
    expect(() => readKey(both)).toThrow(expect.not.stringContaining('hidden'));
    expect(() => readKey({ QDRANT_API_KEY_FILE: file })).toThrow(/QDRANT_API_KEY_FILE: names an empty file/);
    expect(() => readKey({ QDRANT_API_KEY_FILE: `${file}-of-none` })).toThrow(/QDRANT_API_KEY_FILE.*does not exist/s);
  });
});
