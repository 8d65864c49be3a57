import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Turn } from '../conversation.ts';
import { assistant, conversation, system, user } from '../testing/conversation-under-test.ts';
import { structuredAnswer } from './structured-answer.ts';

const answer = (schema: object, ...turns: readonly Turn[]) =>
  structuredAnswer(conversation(turns), { ...schema }, () => 'What it would say.');

const nullableString = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const memory = {
  type: 'object',
  properties: {
    name: nullableString,
    city: { type: ['string', 'null'] },
    preferences: { type: 'array', items: { type: 'string' } },
    age: { type: ['integer', 'null'] },
    employer: { type: 'string' },
  },
  required: ['name', 'city', 'preferences', 'age'],
  additionalProperties: false,
};

describe('extraction', () => {
  const stated = 'My name is Ada. I live in Oslo. I like sailing and chess. I am 36 years old. What is 17 * 23?';
  const expected = { name: 'Ada', city: 'Oslo', preferences: ['sailing', 'chess'], age: 36 };

  test.each([
    ['plain text', [user(stated)]],
    ['a transcript', [user(`Conversation:\nuser: ${stated}\nassistant: My name is Bot. I live in a server.\n`)]],
    [
      'JSON messages',
      [
        user(
          JSON.stringify([
            { role: 'user', content: stated },
            { role: 'assistant', content: 'My name is Bot.' },
          ]),
        ),
      ],
    ],
    ['messages of its own', [user(stated), assistant('My name is Bot.'), user('Extract what you know of me.')]],
  ])('finds what was stated in %s', (_, turns) => {
    expect(answer(memory, system('Extract the fields, for example name: the name of the user.'), ...turns)).toEqual(
      expected,
    );
  });

  test('leaves out what is optional, and gives null or nothing for what is required but unknown', () => {
    expect(answer(memory, user('What is 17 * 23?'))).toEqual({ name: null, city: null, preferences: [], age: null });
    expect(answer({ ...memory, required: [] }, user('I live in Oslo.'))).toEqual({ city: 'Oslo' });
  });

  test('gives a list in one text anew, with what it had before, and keeps what no field has a place for as notes', () => {
    const properties = { interests: { type: ['string', 'null'] }, notes: { type: ['string', 'null'] } };
    const prompt = user(
      'Working memory:\n{"interests":"sailing","notes":"I own a boat."}\n\nConversation:\nUser: I love chess. I parked on level 3.',
    );
    expect(answer({ type: 'object', properties }, prompt)).toEqual({
      interests: 'sailing, chess',
      notes: 'I own a boat. I parked on level 3.',
    });
    const nothingNew = user('Working memory:\n{"interests":"sailing"}\n\nConversation:\nUser: What is 1 + 1?');
    expect(answer({ type: 'object', properties }, nothingNew)).toEqual({});
  });

  test('gives the whole again where it is asked for the whole', () => {
    const prompt = user('Working memory:\n{"name":"Ada","preferences":["tea"]}\n\nConversation:\nUser: I love coffee.');
    const wanted = system('Answer with the whole memory: what you leave out is forgotten.');
    expect(answer({ ...memory, required: [] }, wanted, prompt)).toEqual({
      name: 'Ada',
      preferences: ['tea', 'coffee'],
    });
  });

  test('keeps what is known already where the whole is wanted, and gives only news where it may leave out', () => {
    const prompt = user(
      'Memory: {"name":"Ada","city":"Oslo","preferences":["tea"]}\nuser: I moved to Bergen. I love coffee.',
    );
    expect(answer(memory, prompt)).toEqual({ name: 'Ada', city: 'Bergen', preferences: ['tea', 'coffee'], age: null });
    expect(answer({ ...memory, required: [] }, prompt)).toEqual({ city: 'Bergen', preferences: ['coffee'] });
  });

  test('does not take the schema in a prompt for values', () => {
    const prompt = user(`Schema: ${JSON.stringify(memory)}\nuser: Hello`);
    expect(answer(memory, prompt)).toEqual({ name: null, city: null, preferences: [], age: null });
  });

  test('invents nothing about who asks for it', () => {
    expect(answer(memory, system('I live in a data centre. My name is System.'), user('Hello'))).toMatchObject({
      name: null,
      city: null,
    });
  });
});

describe('any schema', () => {
  test('has its answer where it has room for one', () => {
    const schema = z.toJSONSchema(z.object({ answer: z.string(), flagged: z.boolean() }));
    expect(answer(schema, user('Hello'))).toEqual({ answer: 'What it would say.', flagged: false });
  });

  const awkward = z.object({
    kind: z.enum(['a', 'b']),
    fixed: z.literal(7),
    score: z.number().min(0.5).max(1),
    count: z.int().min(3).multipleOf(5),
    tags: z.array(z.string().min(2)).min(2),
    email: z.email(),
    day: z.iso.date(),
    at: z.iso.datetime(),
    id: z.uuid(),
    code: z.string().regex(/^[A-Z]$/),
    nested: z.object({ deep: z.object({ flag: z.boolean(), maybe: z.string().nullable() }) }),
    either: z.union([z.object({ left: z.string() }), z.object({ right: z.number() })]),
    map: z.record(z.string(), z.string()),
    tree: z.object({
      get child() {
        return awkwardTree.nullable();
      },
    }),
  });
  const awkwardTree: z.ZodType = z.object({
    get child() {
      return awkwardTree.nullable();
    },
  });

  test('gets a value that fits, however awkward', () => {
    expect(awkward.safeParse(answer(z.toJSONSchema(awkward), user('Hello'))).error).toBeUndefined();
  });

  test('takes known values only where they fit', () => {
    const schema = z.toJSONSchema(
      z.object({ name: z.string().max(3), city: z.enum(['Oslo', 'Bergen']).nullable(), age: z.int() }),
    );
    const said = user('My name is Maximiliana. I live in oslo. I am 36 years old.');
    expect(answer(schema, said)).toEqual({ name: '', city: 'Oslo', age: 36 });
  });

  test('resolves references and merges allOf', () => {
    const schema = {
      type: 'object',
      properties: {
        person: {
          allOf: [{ $ref: '#/$defs/named' }, { properties: { city: { type: 'string' } }, required: ['city'] }],
        },
      },
      required: ['person'],
      $defs: { named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    };
    expect(answer(schema, user('My name is Ada and I live in Oslo.'))).toEqual({
      person: { name: 'Ada', city: 'Oslo' },
    });
  });

  test('survives names and references that are not what they seem', () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { $ref: '#/nowhere' }, self: { $ref: '#' } },
      required: ['constructor', 'toString'],
    };
    expect(answer(schema, user('Hello'))).toEqual({ constructor: '', toString: null });
  });

  test('is refused, with the place, where the stand-in cannot fit it', () => {
    const schema = {
      type: 'object',
      properties: { code: { type: 'string', pattern: '^X{7}-Q$' } },
      required: ['code'],
    };
    expect(() => answer(schema, user('Hello'))).toThrow(/cannot make a value for this schema: code/);
  });
});
