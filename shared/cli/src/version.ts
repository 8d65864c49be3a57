// Which Millrace this is: the version of the command's package.
import { readFileSync } from 'node:fs';

export function versionText(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return `millrace ${hasVersion ? String(manifest.version) : 'of an unknown version'}, Node ${process.versions.node}`;
}
