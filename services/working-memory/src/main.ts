import { runService } from '@millrace/service';
import { workingMemoryService } from './service.ts';

await runService(workingMemoryService);
