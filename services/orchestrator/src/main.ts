import { runService } from '@millrace/service';
import { service } from './service.ts';

await runService(service);
