import { describe, expect, test } from 'vitest';
import { factsIn } from './facts.ts';

const plain = (text: string) => factsIn(text).map(({ about, values }) => `${about}: ${values.join(' | ')}`);

describe('a fact', () => {
  test.each([
    ['My name is Ada.', ['name: Ada']],
    ['my name is Ada Lovelace and I live in Oslo', ['name: Ada Lovelace', 'city: Oslo']],
    ['Hi, I’m here. Hello, I am Ada!', ['name: Ada']],
    ['Please call me Ada.', ['name: Ada']],
    ['I live in Oslo with my cat.', ['city: Oslo']],
    ['I moved to Bergen last week, and I love coffee.', ['city: Bergen', 'likes: coffee']],
    ['I like sailing, chess and tea.', ['likes: sailing | chess | tea']],
    ["I don't like mondays.", ['dislikes: mondays']],
    ['My favorite color is blue.', ['favourite colour: blue']],
    ["my dog's name is Rex", ["dog's name: Rex"]],
    ['My email is ada@example.com.', ['email: ada@example.com']],
    ['I work as a nurse and I speak Norwegian and Thai.', ['occupation: nurse', 'languages: Norwegian | Thai']],
    ['I work for Acme, and I am 36 years old.', ['employer: Acme', 'age: 36']],
  ])('is read in: %s', (text, facts) => {
    expect(plain(text)).toEqual(facts);
  });

  test.each([
    'What is my name?',
    'Do you know where I live in Oslo?',
    "I'm tired.",
    'My name is not Ada.',
    'I would like to know more.',
    'Call me back later.',
    'I am a bit lost.',
    '',
  ])('is not read into: %s', (text) => {
    expect(plain(text)).toEqual([]);
  });

  test('costs time in proportion to a hostile text', () => {
    const begun = performance.now();
    factsIn('my '.repeat(50_000));
    factsIn('I like '.repeat(50_000));
    factsIn(`my ${'a'.repeat(200_000)}`);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
