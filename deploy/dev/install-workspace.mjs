// Installs the packages of the workspace before `npm start` and `npm test`. Plain JavaScript without packages: the Node
// that is already there runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const report = (text) => process.stderr.write(`${text}\n`);
const isFirst = !existsSync(new URL('node_modules', root));
if (isFirst) report('Installing the packages, about 40 s the first time.');

const { status, signal } = spawnSync(scripts['install:workspace'], {
  shell: true,
  cwd: root,
  // npm's own retries take over a minute before the first word; stdout belongs to the command that follows.
  env: {
    ...process.env,
    npm_config_loglevel: 'error',
    npm_config_fetch_retries: process.env.npm_config_fetch_retries ?? '1',
  },
  stdio: ['ignore', 2, 2],
});
if (status !== 0) {
  report(
    [
      `The packages cannot be installed${signal ? ` (${signal})` : ''}; the reason is above.`,
      'Without a way to the npm registry, set HTTPS_PROXY to your proxy, or `registry` in .npmrc to your mirror.',
    ].join('\n'),
  );
  process.exit(1);
}
