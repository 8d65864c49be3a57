// A service of a few lines, for tests of its supervision. FAKE selects its behavior: a comma-separated list of
//   stubborn  does not end on SIGTERM          die  ends at once with code 3
//   once      ends with code 3 on its first start only, detected by the file MARK
// It writes `up PID` to its log, and `drained PID` after SIGTERM.
import { existsSync, writeFileSync } from 'node:fs';

const behaviours = (process.env['FAKE'] ?? '').split(',');
const mark = process.env['MARK'] ?? '';

process.stdout.write(`up ${process.pid}\n`);
if (behaviours.includes('die')) process.exit(3);
if (behaviours.includes('once') && !existsSync(mark)) {
  writeFileSync(mark, '');
  process.exit(3);
}
process.on('SIGTERM', () => {
  if (behaviours.includes('stubborn')) return;
  process.stdout.write(`drained ${process.pid}\n`);
  process.exit(0);
});
setInterval(() => {}, 1_000);
