// Summarizes a test run from the runner's JSON report.
// `report.mjs counts REPORT CODE` prints `PASSED FAILED`. `report.mjs remarks REPORT` prints each failed test with its error,
// and each test that passed in its second attempt.
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
  // A failed file without a failed test (it cannot be loaded, it left a resource open) is one failure.
  const failed = report.numFailedTests + failedAsAWhole(report).length;
  // Failure without a failed test: an error outside of all tests, or a broken runner.
  return { passed: report.numPassedTests, failed: failed === 0 && code !== '0' ? 1 : failed };
}

function failedAsAWhole(report) {
  return report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.every((test) => test.status !== 'failed'),
  );
}

function failures(report) {
  const files = failedAsAWhole(report).map((result) => entry(result.name, 'the file as a whole', result.message));
  const tests = report.testResults.flatMap((result) =>
    result.assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => entry(result.name, test.fullName, test.failureMessages.join('\n'))),
  );
  return [...files, ...tests];
}

function secondTries(report) {
  return report.testResults.flatMap((result) =>
    result.assertionResults
      .filter((test) => test.status === 'passed' && test.failureMessages.length > 0)
      .map((test) => entry(result.name, test.fullName, test.failureMessages.join('\n'), 'SECOND TRY')),
  );
}

function entry(path, title, message, outcome = 'FAILED') {
  const ours = message
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*(node_modules|node:|<anonymous>)/.test(line));
  const said = ours.slice(0, LINES_OF_A_FAILURE);
  return [`${outcome} ${relative(process.cwd(), path)}: ${title}`, ...said.map((line) => `  ${line}`)].join('\n');
}

const report = read();
if (command === 'counts') {
  const { passed, failed } = counts(report);
  process.stdout.write(`${passed} ${failed}\n`);
} else if (report) {
  for (const text of [...failures(report), ...secondTries(report)]) process.stdout.write(`${text}\n`);
}
