// Tests that the schema of the service and the advertised JSON Schema, which `agents apply` checks, agree.
import type { JsonObject } from '@millrace/contracts';
import { describeProcessor } from '@millrace/processor';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { NO_MODELS } from '../../model/guard-models.ts';
import { judge } from './judge.ts';

const definition = judge(NO_MODELS);
const { optionsSchema } = describeProcessor(definition);
const fits = new Ajv2020({ strict: false }).compile(optionsSchema);
const model = 'openai/x';
const question = 'Is it vile?';
const names = ['a'];

test.each<[boolean, JsonObject]>([
  [true, { model, question }],
  [true, { model, question, on: ['toolCall', 'toolResult'], include: ['sources'] }],
  [true, { model, preset: 'topics', allowedTopics: names }],
  [true, { model, preset: 'topics', deniedTopics: names, allowedTopics: names, on: ['input'] }],
  [true, { model, preset: 'competitors', competitors: names }],
  [true, { model, preset: 'grounding' }],
  [true, { model, preset: 'grounding', on: ['output'] }],
  [true, { model, preset: 'tool-alignment' }],
  [true, { model, question, files: ['image', 'document'] }],
  [true, { model, question, files: ['image'], on: ['input', 'toolCall'] }],
  [true, { model, preset: 'topics', allowedTopics: names, files: ['image'] }],
  [true, { model, preset: 'competitors', competitors: names, files: ['image'], on: ['input'] }],
  [false, { model, question, files: [] }],
  [false, { model, question, files: ['audio'] }],
  [false, { model, question, files: ['image'], on: ['output'] }],
  [false, { model, preset: 'competitors', competitors: names, files: ['image'] }],
  [false, { model, preset: 'grounding', files: ['image'] }],
  [false, { model, preset: 'tool-alignment', files: ['image'] }],
  [false, {}],
  [false, { model }],
  [false, { question }],
  [false, { model, question: ' ' }],
  [false, { model: 'gpt', question }],
  [false, { model, question, preset: 'grounding' }],
  [false, { model, question, deniedTopics: names }],
  [false, { model, question, competitors: names }],
  [false, { model, preset: 'topics' }],
  [false, { model, preset: 'topics', deniedTopics: [] }],
  [false, { model, preset: 'topics', deniedTopics: names, competitors: names }],
  [false, { model, preset: 'competitors' }],
  [false, { model, preset: 'competitors', competitors: names, allowedTopics: names }],
  [false, { model, preset: 'grounding', on: ['input'] }],
  [false, { model, preset: 'tool-alignment', on: ['toolCall', 'output'] }],
  [false, { model, preset: 'sentiment' }],
  [false, { model, question, on: [] }],
  [false, { model, question, maxCharacters: 65_537 }],
])('%s: the options %j, for the service and for agents apply', (expected, options) => {
  expect(definition.options.safeParse(options).success).toBe(expected);
  expect(fits(options)).toBe(expected);
});
