import { recordVisit } from './visit';

// Loaded only where the address contains a referral code.
void recordVisit(location);
