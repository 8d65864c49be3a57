import { runService } from '@millrace/service';
import { semanticRecallService } from './service.ts';

await runService(semanticRecallService);
