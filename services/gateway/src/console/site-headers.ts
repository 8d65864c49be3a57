// Headers of the console's pages and files.

/**
 * Scripts and connections of this origin only. Libraries of the console create style elements, which carry the nonce
 * of their page.
 */
export const writePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

export const SITE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** The name of a file of the build holds the hash of its content. */
export const CACHE_FOREVER = 'public, max-age=31536000, immutable';
export const CACHE_CHECKED = 'no-cache';
