import { useGet, useList } from './hooks.ts';

export const useDashboard = () => useGet('/dashboard');

export const useCurrencies = () => useList('/currencies').rows;
