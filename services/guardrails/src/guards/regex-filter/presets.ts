// Common patterns by name. RE2, case-insensitive, and small, so that a text with many matches is judged quickly.
export const PRESET_NAMES = [
  'email',
  'url',
  'ip-address',
  'mac-address',
  'uuid',
  'us-ssn',
  'card-number',
  'phone-number',
  'markdown-image',
  'markdown-link',
  'html-tag',
  'script',
  'data-uri',
  'long-base64',
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const SOURCES: Record<PresetName, string> = {
  email: String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  url: String.raw`https?://[^\s"'<>)\]]+`,
  'ip-address': String.raw`\b(?:\d{1,3}\.){3}\d{1,3}\b`,
  'mac-address': String.raw`\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`,
  uuid: String.raw`\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b`,
  'us-ssn': String.raw`\b\d{3}-\d{2}-\d{4}\b`,
  'card-number': String.raw`\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}\b`,
  'phone-number': String.raw`\+\d[\d ().-]{6,18}\d\b`,
  'markdown-image': String.raw`!\[[^\]]*\]\([^)]+\)`,
  'markdown-link': String.raw`\[[^\]]+\]\([^)]+\)`,
  'html-tag': String.raw`</?[a-z][^>]*>`,
  script: String.raw`<script[^>]*>|</script\s*>|\bjavascript:[^\s"'>]+`,
  'data-uri': String.raw`\bdata:[\w/+.-]+;base64,[\w+/=]+`,
  'long-base64': String.raw`[\w+/-]{80,}={0,2}`,
};

export const getPresetSource = (preset: PresetName): string => SOURCES[preset];
