// The first part of every key.
import { isToken, MillraceError } from '@millrace/contracts';

/** A tenant is a token: it can hold nothing that would end its part of a key. @throws token-invalid */
export function checkTenant(tenant: string): string {
  if (isToken(tenant)) return tenant;
  throw new MillraceError('token-invalid', `"${tenant}" is not a tenant.`, {
    remedy: 'Use 1 to 64 characters out of A-Z, a-z, 0-9, "_" and "-".',
  });
}
