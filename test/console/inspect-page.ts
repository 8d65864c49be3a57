// Inspects an open page: its accessibility in light and dark, and its width on a phone. With MILLRACE_SCREENSHOTS=1 it takes a screenshot
// of each.
import axe from 'axe-core';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PHONE } from './use-console.ts';

const SCREENSHOTS = join(import.meta.dirname, 'screenshots');
/** Screenshots are for readers: they take a tenth of the processor time of all tests in a browser. */
const takesScreenshots = process.env['MILLRACE_SCREENSHOTS'] === '1';

/** Lists the serious violations of a page, and whether it is wider than a phone. */
export async function inspect(page: Page, name: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const problems = [
    ...(await inspectScheme(page, name, 'light')),
    // The structure is that of the light page: only colors differ.
    ...(await inspectScheme(page, name, 'dark', ['color-contrast'])),
  ];
  const size = page.viewportSize() ?? PHONE;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await takeScreenshot(page, `${name}-phone`);
  await page.evaluate(awaitLayout);
  const wide = await listWideElements(page);
  problems.push(...wide.map((element) => `phone: ${element}`));
  await page.setViewportSize(size);
  return problems;
}

async function inspectScheme(page: Page, name: string, colorScheme: 'light' | 'dark', rules?: string[]) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await takeScreenshot(page, `${name}-${colorScheme}`);
  const found = await page.evaluate((only) => {
    const run: (typeof axe)['run'] = Reflect.get(globalThis, 'axe').run;
    return run({ resultTypes: ['violations'], ...(only && { runOnly: only }) });
  }, rules);
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (takesScreenshots) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** Runs in the page: resolves after its observers of the new size have run. */
const awaitLayout = () =>
  new Promise<void>((resolve) => {
    const awaitFrame: (call: () => void) => void = Reflect.get(globalThis, 'requestAnimationFrame');
    awaitFrame(() => awaitFrame(resolve));
  });

/** Lists the page, if it scrolls sideways, and the waterfalls and tables that do. */
const listWideElements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const all: { scrollWidth: number; clientWidth: number; className: string }[] = [
      Reflect.get(globalThis, 'document').documentElement,
      ...Reflect.get(globalThis, 'document').querySelectorAll('.waterfall, .table-wrap:has(.fold)'),
    ];
    return all
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(
        ({ className, scrollWidth, clientWidth }) =>
          `${className || 'page'} is ${scrollWidth - clientWidth} px too wide`,
      );
  });
