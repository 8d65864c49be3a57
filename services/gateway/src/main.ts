import { runService } from '@millrace/service';
import { gatewayService } from './service.ts';

await runService(gatewayService);
