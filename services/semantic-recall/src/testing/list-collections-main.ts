// A program: lists the collections of Qdrant with the configuration of the service; prints `ok`, or the error.
import { MillraceError } from '@millrace/contracts';
import { readConfig } from '@millrace/service';
import { qdrantAccessSchema } from '../stores/qdrant/qdrant-access.ts';
import { createQdrant } from '../stores/qdrant/qdrant-client.ts';

const { QDRANT_URL: url = '' } = process.env;
const { qdrantKey: apiKey } = readConfig(qdrantAccessSchema, process.env);
try {
  const { data } = await createQdrant({ url, apiKey }).call('list', undefined, (api, init) =>
    api.getCollections({}, init),
  );
  process.stdout.write(`${data.status}\n`);
} catch (error) {
  process.stdout.write(MillraceError.isInstance(error) ? `${error.code}: ${error.message}` : String(error));
}
