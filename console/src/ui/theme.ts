// Light, dark, or that of the system. The choice stays in this browser.

const NAME = 'millrace-theme';
export type Theme = 'system' | 'light' | 'dark';

export function readTheme(): Theme {
  const stored = localStorage.getItem(NAME);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(NAME);
    delete document.documentElement.dataset['theme'];
    return;
  }
  localStorage.setItem(NAME, theme);
  document.documentElement.dataset['theme'] = theme;
}
