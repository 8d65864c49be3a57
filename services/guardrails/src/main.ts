// Entry point of the service guardrails.
import { runService } from '@millrace/service';
import { guardrailsService } from './service.ts';

await runService(guardrailsService);
