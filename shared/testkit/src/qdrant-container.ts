// Runs a Qdrant for tests in a container, if an engine and the image are available: tests pull no image. An address in
// QDRANT_URL has priority.
import { GenericContainer, ImageName, Wait, getContainerRuntimeClient } from 'testcontainers';

export type TestQdrant = { url: string; stop: () => Promise<void> } | { unavailable: string };

const DEFAULT_IMAGE = 'qdrant/qdrant:v1.19.0';
const HTTP_PORT = 6_333;
const START_TIMEOUT_MS = 30_000;

type Env = Record<string, string | undefined>;

export async function startQdrantContainer({ QDRANT_IMAGE = DEFAULT_IMAGE }: Env): Promise<TestQdrant> {
  try {
    const runtime = await getContainerRuntimeClient();
    if (!(await runtime.image.exists(ImageName.fromString(QDRANT_IMAGE)))) {
      return { unavailable: `the image ${QDRANT_IMAGE} is not on this machine` };
    }
    const container = await new GenericContainer(QDRANT_IMAGE)
      .withExposedPorts(HTTP_PORT)
      .withWaitStrategy(Wait.forHttp('/readyz', HTTP_PORT))
      .withStartupTimeout(START_TIMEOUT_MS)
      .start();
    const url = `http://${container.getHost()}:${container.getMappedPort(HTTP_PORT)}`;
    return { url, stop: async () => void (await container.stop()) };
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) };
  }
}
