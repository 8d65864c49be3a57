/** Returns the nonce of the page, which the gateway writes into it. */
export function readNonce(): string {
  const element = document.querySelector('meta[property="csp-nonce"]');
  return element instanceof HTMLMetaElement ? element.nonce : '';
}
