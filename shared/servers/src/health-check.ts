// Asks a server over HTTP whether it is ready to work.

const HEALTH_TIMEOUT_MS = 1_000;

/** Whether the address answers with a status of 200 to 299. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
