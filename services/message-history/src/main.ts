import { runService } from '@millrace/service';
import { messageHistoryService } from './service.ts';

await runService(messageHistoryService);
