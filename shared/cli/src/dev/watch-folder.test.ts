import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { watchFolder, type FolderWatch } from './watch-folder.ts';

let folder: string;
let watched: FolderWatch;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-watch-'));
});
afterEach(async () => {
  watched.close();
  await rm(folder, { recursive: true, force: true });
});
const start = async (onFull: (limit: number) => void = () => undefined) => {
  watched = await watchFolder(folder, onFull);
};
const write = (...path: string[]) => writeFile(join(folder, ...path), String(Math.random()));
/** Writes the file until its change is seen: a new folder is watched a moment later. */
async function seeChange(...path: string[]): Promise<string[]> {
  const change = watched.nextChange();
  const writing = setInterval(() => void write(...path).catch(() => undefined), 20);
  try {
    return await change;
  } finally {
    clearInterval(writing);
  }
}

describe('watchFolder', () => {
  test('A folder that is deleted and created again is watched', async () => {
    await mkdir(join(folder, 'src'));
    await start();
    await rm(join(folder, 'src'), { recursive: true });
    await mkdir(join(folder, 'src'));
    expect(await seeChange('src', 'a.ts')).toEqual(['src/a.ts']);
  });

  test('A file that is written without end does not hide the change of another one', async () => {
    await start();
    const writing = setInterval(() => void write('log.txt'), 20);
    try {
      expect(await watched.nextChange()).toEqual(['log.txt']);
    } finally {
      clearInterval(writing);
    }
  });

  test('A change while nothing waits for it is reported afterwards', async () => {
    await start();
    await seeChange('a.ts');
    await write('b.ts');
    // Longer than the time in which several writes count as one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await watched.nextChange()).toContain('b.ts');
  });

  test('Any number of other files are created and deleted, and a new folder is still watched', async () => {
    await start();
    for (let at = 0; at < 600; at += 1) {
      await write(`data-${at}`);
      await rm(join(folder, `data-${at}`));
    }
    await mkdir(join(folder, 'late'));
    expect(await seeChange('late', 'a.py')).toEqual(['late/a.py']);
  });

  test('A virtual environment and a link to another folder use no watch', async () => {
    const other = await mkdtemp(join(tmpdir(), 'millrace-watch-other-'));
    await mkdir(join(folder, 'env'));
    await writeFile(join(folder, 'env', 'pyvenv.cfg'), '');
    let limit = 0;
    for (let at = 0; at < 520; at += 1) await mkdir(join(folder, 'env', `p${at}`));
    await start((reached) => void (limit = reached));
    await symlink(other, join(folder, 'linked'));
    await writeFile(join(other, 'a.ts'), 'x');
    expect(await seeChange('b.ts')).toEqual(['b.ts']);
    expect(limit).toBe(0);
    await rm(other, { recursive: true });
  });

  test('More folders than are watched are reported once', async () => {
    for (let at = 0; at < 510; at += 1) await mkdir(join(folder, `p${at}`));
    const reached: number[] = [];
    await start((limit) => void reached.push(limit));
    expect(reached).toEqual([500]);
  });
});
