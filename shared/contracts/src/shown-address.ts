// Addresses as logs, errors and people may see them: scheme, host and port alone. An address may hold a password or a token, and
// what is shown is read by more people than what is configured.

const ADDRESS =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)?(?:.*@)?(?<host>\[[0-9a-f:.%]+\]|[a-z0-9._-]+)(?<port>:\d+)?(?:[/?#].*)?$/is;
const HIDDEN = '(an address that is not shown)';

/** Of one address, or of several with commas between them. What cannot be read is not shown: it may be a secret. */
export function shownAddress(addresses: string): string {
  return addresses
    .split(',')
    .map((address) => {
      const { scheme = '', host, port = '' } = ADDRESS.exec(address.trim())?.groups ?? {};
      return host === undefined ? HIDDEN : `${scheme}${host}${port}`;
    })
    .join(',');
}
