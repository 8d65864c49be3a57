// Values for a schema: most fit, the others nearly. As JSON.parse gives them, numbers that it makes of -0 and 1e999 among them.
import * as fc from 'fast-check';
import { z } from 'zod';

type Schema = z.core.$ZodType;
type ValueArbitrary = fc.Arbitrary<unknown>;

/** Names that each object has from its prototype among them. */
const NAMES = ['a', 'b', 'type', 'constructor', 'toString', 'hasOwnProperty', 'ofTomorrow', '0', ''];
const NUMBERS = [0, -0, 1, -1, 1.5, 3, 200, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 60), Infinity];
/** On both sides of the lengths that the wire has, in characters of one code unit, of two, and of half of one. */
const LENGTHS = [1, 2, 3, 64, 65, 100, 101, 128, 129, 200, 201];
const TEXTS = [
  'm1',
  'openai/x',
  'data-x',
  'text',
  'continue',
  ...NAMES,
  ...['x', '😀', '\ud83d'].flatMap((one) => LENGTHS.map((length) => one.repeat(length))),
];
const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
const anything: ValueArbitrary = fc.oneof(
  fc.constantFrom(null, true, false),
  number,
  text,
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(name, fc.oneof(number, text), { maxKeys: 3, noNullPrototype: true }),
);

function readDefinition(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod exposes its internals under this name
  return (schema as z.core.$ZodTypes)._zod.def;
}

export function generateValues(schema: Schema): ValueArbitrary {
  return fc.oneof({ weight: 100, arbitrary: generateFitting(schema) }, { weight: 1, arbitrary: anything });
}

function generateFitting(schema: Schema): ValueArbitrary {
  const def = readDefinition(schema);
  switch (def.type) {
    case 'string':
      return mostly(schema, TEXTS);
    case 'number':
      return mostly(schema, NUMBERS);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'optional':
    case 'default':
      return generateValues(def.innerType);
    case 'nullable':
      return fc.oneof(fc.constant(null), generateValues(def.innerType));
    case 'array':
      return fc.array(generateValues(def.element), { maxLength: 2 });
    case 'record':
      return fc.dictionary(fc.oneof(name, text), generateValues(def.valueType), {
        maxKeys: 3,
        noNullPrototype: true,
      });
    case 'union':
      return fc.oneof(...def.options.map(generateValues));
    case 'object':
      return generateObjects(def.shape);
    default:
      return anything;
  }
}

function mostly(schema: Schema, values: readonly unknown[]): ValueArbitrary {
  const fitting = values.filter((value) => z.safeParse(schema, value).success);
  const all = { weight: 1, arbitrary: fc.constantFrom(...values) };
  return fitting.length === 0 ? all.arbitrary : fc.oneof(all, { weight: 100, arbitrary: fc.constantFrom(...fitting) });
}

function generateObjects(shape: z.core.$ZodShape): ValueArbitrary {
  const missing = Symbol('missing');
  const rarely = (value: ValueArbitrary, freq: number) => fc.option(value, { nil: missing, freq });
  const own = Object.entries(shape).map(([member, schema]) =>
    rarely(generateValues(schema), readDefinition(schema).type === 'optional' ? 1 : 100).map(
      (value) => [member, value] as const,
    ),
  );
  const surplus = fc.oneof(
    { weight: 20, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(name, anything), { minLength: 1, maxLength: 2 }) },
  );
  return fc
    .tuple(surplus, ...own)
    .map(([more, ...members]): unknown =>
      Object.fromEntries([...more, ...members].filter(([, value]) => value !== missing)),
    );
}
