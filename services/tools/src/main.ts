import { runService } from '@millrace/service';
import { toolsService } from './service.ts';

await runService(toolsService);
