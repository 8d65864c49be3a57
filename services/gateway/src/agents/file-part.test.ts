// Files of a request as parts of a message.
import { describe, expect, test } from 'vitest';
import { createFilePart } from './file-part.ts';

const origin = { otherType: 'image/*', path: 'messages' };

describe('the part of a file', () => {
  test.each([
    ['data:image/png;base64,aGk=', undefined, 'aGk=', 'image/png'],
    ['DATA:image/png;BASE64,aGk=', undefined, 'aGk=', 'image/png'],
    ['data:text/plain;charset=UTF-8;base64,aGk=', undefined, 'aGk=', 'text/plain'],
    ['data:;base64,aGk=', undefined, 'aGk=', 'image/*'],
    ['data:;base64,aGk=', 'text/csv', 'aGk=', 'text/csv'],
    ['data:image/png;base64,aGk=', 'image/*', 'aGk=', 'image/png'],
    ['data:text/csv;base64,aGk=', 'Text/CSV; charset=utf-8', 'aGk=', 'text/csv'],
    ['data:text/plain;charset="utf-8";base64,aGk=', '', 'aGk=', 'text/plain'],
    ['aGk=', 'image/gif', 'aGk=', 'image/gif'],
    ['https://example.com/a.png', undefined, 'https://example.com/a.png', 'image/*'],
  ])('%s with the type %s has the data %s and the type %s', (url, given, data, mimeType) => {
    expect(createFilePart(url, { ...origin, given })).toEqual({ type: 'file', data, mimeType });
  });

  test.each([
    ['data:text/plain,hello', undefined, 'is not encoded as base64'],
    ['data:base64,aGk=', undefined, 'is not encoded as base64'],
    ['data:image/png;base64', undefined, 'is not encoded as base64'],
    [`data:image/png;${'a'.repeat(400)};base64,aGk=`, undefined, 'is not encoded as base64'],
    ['data:image/png;base64,', undefined, 'has no base64 data'],
    ['data:image/png;base64,https://example.com/', undefined, 'has no base64 data'],
    ['data:image/png;base64,aG k=', undefined, 'has no base64 data'],
    ['data:image png;base64,aGk=', undefined, 'has no valid media type'],
    ['data:text/plain;charset=utf-16le;base64,aGk=', undefined, 'has another parameter'],
    ['data:image/png;name=a.png;base64,aGk=', undefined, 'has another parameter'],
    ['aGk=', 'text/plain;charset=utf-16be', 'has a media type with another parameter'],
    ['data:text/html;base64,aGk=', 'image/png', 'has another type than "image/png"'],
    ['data:image/jpeg;base64,aGk=', 'image/png', 'has another type than "image/png"'],
  ])('%s with the type %s is refused: it %s', (url, given, message) => {
    const create = () => createFilePart(url, { ...origin, given });
    expect(create).toThrow(expect.objectContaining({ code: 'message-invalid', path: 'messages' }));
    expect(create).toThrow(message);
  });
});
