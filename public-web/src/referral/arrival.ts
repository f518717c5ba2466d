import { cameBy } from './came';

// Loaded where the address names a referrer, and for nothing else.
void cameBy(location);
