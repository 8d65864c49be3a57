// Loads the clients of providers without the variables of base URLs: a client reads its variable when it is loaded, and
// throws if the value is empty. provider-config.ts validates the variables.
const hidden = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'].flatMap((name) => {
  const value = process.env[name];
  delete process.env[name];
  return value === undefined ? [] : [{ name, value }];
});
export const { createAnthropic } = await import('@ai-sdk/anthropic');
export const { createOpenAI } = await import('@ai-sdk/openai');
export const { createGoogle } = await import('@ai-sdk/google');
for (const { name, value } of hidden) process.env[name] = value;
