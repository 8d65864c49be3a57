// Time to the first paint of the console in Chromium, without a cache.
import { chromium, type Browser } from 'playwright-core';
import { buildConsole } from '../../../console/build-console.ts';
import { findChromium } from '../../../e2e/browser/chromium-path.ts';
import type { Measure } from '../bench-context.ts';
import { median } from '../load.ts';
import { round, row } from '../measure.ts';
import { withOwnStack } from './latency.ts';

const VISITS = 15;
const RUNS = 100;
const MODEL = 'openai/gpt-5-mini';

/** The baseline is the page of a gateway without the console: HTML without scripts. */
export const consolePaint: Measure = (shared) =>
  withOwnStack(shared, async ({ stack }) => {
    const executablePath = findChromium();
    const folder = await buildConsole();
    if (folder === undefined) throw new Error('needs the built console');
    await Promise.all(['orchestrator', 'auth'].map((service) => stack.start(service)));
    const { key } = await stack.client.keys.create({ scopes: ['run', 'read', 'operate'], label: 'bench' });
    await stack.client.agents.apply({ name: 'painted', model: MODEL });
    for (let run = 0; run < RUNS; run += 1) await stack.client.generate('painted', 'Hello.');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const start = async (env: Record<string, string>) => {
      const before = await stack.log('gateway');
      await stack.start('gateway', { GATEWAY_PORT: '0', LOG_LEVEL: 'info', REQUESTS_PER_MINUTE: '1000000', ...env });
      const log = (await stack.log('gateway')).slice(before.length);
      return /"url":"(http[^"]+)"/.exec(log)?.[1] ?? '';
    };
    try {
      const bare = await visitAll(browser, `${await start({})}/console/`, undefined);
      await stack.signal('gateway', 'SIGTERM');
      const url = await start({ CONSOLE_DIR: folder });
      const signIn = await visitAll(browser, `${url}/console/`, undefined);
      const list = await visitAll(browser, `${url}/console/runs`, { key, selector: 'tbody tr' });
      const chat = await visitAll(browser, `${url}/console/chat/painted`, { key, selector: 'textarea' });
      return row('console-paint', 'ms to the first paint, p50', median(signIn.paints), median(bare.paints), {
        longest: round(Math.max(...signIn.paints)),
        runsPaintMs: round(median(list.paints)),
        runsShownMs: round(median(list.shown)),
        chatPaintMs: round(median(chat.paints)),
        chatShownMs: round(median(chat.shown)),
      });
    } finally {
      await browser.close();
    }
  });

type Shown = { key: string; selector: string };

/** Each visit has a profile of its own. With a key: the time until the selector is shown, too. */
async function visitAll(browser: Browser, url: string, shown: Shown | undefined) {
  const paints: number[] = [];
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    if (shown)
      await context.request.post(new URL('/console/session', url).href, {
        data: { key: shown.key },
        headers: { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' },
      });
    const page = await context.newPage();
    await page.goto(url);
    if (shown) {
      await page.locator(shown.selector).first().waitFor();
      times.push(await page.evaluate<number>('performance.now()'));
    }
    paints.push(await page.evaluate<number>(READ_PAINT));
    await context.close();
  }
  return { paints, shown: times };
}

const READ_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  const paint = list.getEntriesByName('first-contentful-paint')[0];
  if (paint) resolve(paint.startTime);
}).observe({ type: 'paint', buffered: true }))`;
