// A whole program that serves a foreign processor. Started by serve-foreign.integration.test.ts.
import { serveForeign } from '../reference/foreign-processor.ts';
import { Lowercase } from './foreign-classes.ts';

await serveForeign(new Lowercase(), { id: 'their-lowercase', version: '1.2.3' });
