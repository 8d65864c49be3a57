// Checks a definition while it is edited: its YAML here, the rest by a dry run of its application.
import { useEffect, useState } from 'react';
import { applyAgent } from '../api/agents.ts';
import { Problem } from '../api/problem.ts';
import { readDefinition, type PlacedIssue } from './agent-yaml.ts';

export type EditorIssue = PlacedIssue & { line: number };
export type CheckState = { issues: readonly EditorIssue[]; warnings: readonly string[]; isChecking: boolean };

/** Pause after the last key before the check, ms. */
const PAUSE_MS = 400;

/** @param isEnabled false: the session has no right to apply, and so none to check */
export function useChecked(name: string, text: string, isEnabled: boolean): CheckState {
  const [checked, setChecked] = useState<CheckState & { text: string }>({
    text: '',
    issues: [],
    warnings: [],
    isChecking: true,
  });
  useEffect(() => {
    if (!isEnabled) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void check(name, text).then((found) => {
        if (isCurrent) setChecked({ ...found, text, isChecking: false });
      });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [name, text, isEnabled]);
  return { ...checked, isChecking: isEnabled && checked.text !== text };
}

type FoundIssues = Pick<CheckState, 'issues' | 'warnings'>;

async function check(name: string, text: string): Promise<FoundIssues> {
  const place = (issue: PlacedIssue): EditorIssue => ({ ...issue, line: text.slice(0, issue.from).split('\n').length });
  const { definition, issues, locate } = readDefinition(text);
  if (issues.length > 0) return { issues: issues.map(place), warnings: [] };
  try {
    const { warnings } = await applyAgent(name, definition ?? {}, true);
    return { issues: [], warnings: warnings.map(({ message }) => message) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const own = error.issues.length > 0 ? error.issues : [{ path: error.path ?? '', message: error.message }];
    return { issues: own.map(locate).map(place), warnings: [] };
  }
}
