import type { Schema } from '@agio/client/admin';

export type Claim = Schema<'ClaimDetails'>;
export type ClaimRow = Schema<'ClaimSummary'>;
export type ClaimSide = Schema<'ClaimSummarySide'>;
export type ClaimState = Schema<'ClaimState'>;
export type Transition = Schema<'AllowedTransition'>;
export type TransitionInput = Schema<'TransitionRequest'>;
export type Recalculation = Schema<'RecalculationView'>;
