import { runService } from '@millrace/service';
import { authService } from './service.ts';

await runService(authService);
