// Formats addresses for logs and errors: scheme, host and port only. An address may contain a password or a token, and
// logs have more readers than the configuration.

const ADDRESS =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)?(?:.*@)?(?<host>\[[0-9a-f:.%]+\]|[a-z0-9._-]+)(?<port>:\d+)?(?:[/?#].*)?$/is;
const HIDDEN = '(hidden address)';

/** Formats one address or a comma-separated list. An unreadable address is hidden, because it may be a secret. */
export function hideAddressParts(addresses: string): string {
  return addresses
    .split(',')
    .map((address) => {
      const { scheme = '', host, port = '' } = ADDRESS.exec(address.trim())?.groups ?? {};
      return host === undefined ? HIDDEN : `${scheme}${host}${port}`;
    })
    .join(',');
}
