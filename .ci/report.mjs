// What a run of the tests came to, from the runner's JSON report.
// `report.mjs counts REPORT CODE` prints `PASSED FAILED`. `report.mjs failures REPORT` prints each failed test with what it said.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LINES_OF_A_FAILURE = 12;
const [command, file, code] = process.argv.slice(2);

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function counts(report) {
  if (!report) return { passed: 0, failed: 1 };
  // A file that could not be loaded has no tests and is one failure.
  const failed = report.numFailedTests + unloaded(report).length;
  // Red without a failed test: an error outside of every test, or a runner that broke.
  return { passed: report.numPassedTests, failed: failed === 0 && code !== '0' ? 1 : failed };
}

function unloaded(report) {
  return report.testResults.filter((result) => result.status === 'failed' && result.assertionResults.length === 0);
}

function failures(report) {
  const files = unloaded(report).map((result) => entry(result.name, 'not loaded', result.message));
  const tests = report.testResults.flatMap((result) =>
    result.assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => entry(result.name, test.fullName, test.failureMessages.join('\n'))),
  );
  return [...files, ...tests];
}

function entry(path, title, message) {
  const ours = message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*(node_modules|node:|<anonymous>)/.test(line));
  const said = ours.slice(0, LINES_OF_A_FAILURE);
  return [`FAILED ${relative(process.cwd(), path)}: ${title}`, ...said.map((line) => `  ${line}`)].join('\n');
}

const report = read();
if (command === 'counts') {
  const { passed, failed } = counts(report);
  process.stdout.write(`${passed} ${failed}\n`);
} else if (report) {
  for (const text of failures(report)) process.stdout.write(`${text}\n`);
}
