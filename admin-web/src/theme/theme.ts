import type { RaThemeOptions } from 'react-admin';

/** The colours MUI has to compute with; the same values stand in `tokens.css`, which everything of ours reads. */
type Inks = {
  mode: 'light' | 'dark';
  paper: string;
  surface: string;
  raise: string;
  ink: string;
  ink2: string;
  muted: string;
  line: string;
  lineControl: string;
  positive: string;
  warning: string;
  danger: string;
  engrave: string;
  focus: string;
};

const LIGHT: Inks = {
  mode: 'light',
  paper: '#f1f4f2',
  surface: '#fafcfb',
  raise: '#ffffff',
  ink: '#11222a',
  ink2: '#34474f',
  muted: '#56676e',
  line: '#d6dedb',
  lineControl: '#84928f',
  positive: '#0f6b48',
  warning: '#944a00',
  danger: '#b01e22',
  engrave: '#1f6663',
  focus: '#1c55b8',
};

const DARK: Inks = {
  mode: 'dark',
  paper: '#0c161b',
  surface: '#111e24',
  raise: '#18272e',
  ink: '#e8eeec',
  ink2: '#bdcac9',
  muted: '#8fa1a5',
  line: '#22333a',
  lineControl: '#66797f',
  positive: '#6fcf9f',
  warning: '#f3ac62',
  danger: '#ff8f86',
  engrave: '#63b3aa',
  focus: '#8db8ff',
};

/** Yellow says "act now" and nothing else, so only contained buttons carry it. */
const ACCENT = { main: '#ffd23f', dark: '#f5c21c', light: '#ffdc66', contrastText: '#11222a' };
const FONT = '"Geologica Variable", "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif';
const noRipple = { defaultProps: { disableRipple: true, disableTouchRipple: true } };

function buttons(inks: Inks): RaThemeOptions['components'] {
  return {
    MuiButtonBase: noRipple,
    MuiButton: {
      defaultProps: { disableElevation: true, variant: 'outlined', color: 'inherit' },
      styleOverrides: {
        root: {
          borderRadius: 8,
          minHeight: 32,
          padding: '4px 12px',
          fontSize: 13,
          fontWeight: 500,
          lineHeight: 1.4,
          textTransform: 'none',
          whiteSpace: 'nowrap',
          '&.Mui-focusVisible': { outline: `2px solid ${inks.focus}`, outlineOffset: 2 },
          '@media (pointer: coarse)': { minHeight: 44 },
        },
        outlined: { borderColor: inks.lineControl, backgroundColor: inks.raise },
        contained: {
          fontWeight: 600,
          backgroundColor: ACCENT.main,
          color: ACCENT.contrastText,
          '&:hover': { backgroundColor: ACCENT.dark },
        },
        sizeLarge: { minHeight: 38, padding: '6px 16px' },
      },
    },
    MuiIconButton: {
      defaultProps: { disableRipple: true },
      styleOverrides: {
        root: {
          borderRadius: 6,
          padding: 6,
          color: inks.ink2,
          '&.Mui-focusVisible': { outline: `2px solid ${inks.focus}` },
          // Reaches into the space between the lines, which a finger may hit as well.
          '@media (pointer: coarse)': { '&::after': { content: '""', position: 'absolute', inset: '-7px -2px' } },
        },
      },
    },
    MuiSwitch: {
      defaultProps: { color: 'default' },
      styleOverrides: {
        root: { width: 44, height: 26, padding: 0, margin: '4px 0' },
        switchBase: {
          padding: 4,
          color: inks.muted,
          '&.Mui-checked': { transform: 'translateX(18px)', color: inks.raise },
          '&.Mui-checked + .MuiSwitch-track': { backgroundColor: inks.ink, opacity: 1, borderColor: inks.ink },
          '&.Mui-focusVisible + .MuiSwitch-track': { outline: `2px solid ${inks.focus}`, outlineOffset: 2 },
        },
        thumb: { width: 18, height: 18, boxShadow: 'none' },
        track: { borderRadius: 13, border: `1px solid ${inks.lineControl}`, backgroundColor: inks.surface, opacity: 1 },
      },
    },
  };
}

function fields(inks: Inks): RaThemeOptions['components'] {
  return {
    MuiOutlinedInput: {
      styleOverrides: {
        root: {
          borderRadius: 8,
          fontSize: 13,
          backgroundColor: inks.raise,
          '& .MuiOutlinedInput-notchedOutline': { borderColor: inks.lineControl },
          '&.Mui-focused .MuiOutlinedInput-notchedOutline': { borderColor: inks.focus, borderWidth: 2 },
          '&.Mui-error .MuiOutlinedInput-notchedOutline': { borderColor: inks.danger },
        },
        input: { padding: '7px 10px', height: 'auto', minHeight: 18 },
        multiline: { padding: 0 },
      },
    },
    MuiSelect: {
      styleOverrides: { select: { padding: '7px 32px 7px 10px !important', minHeight: '18px !important' } },
    },
    MuiMenuItem: { ...noRipple, styleOverrides: { root: { fontSize: 13, minHeight: 32 } } },
  };
}

function surfaces(inks: Inks): RaThemeOptions['components'] {
  return {
    MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiMenu: {
      styleOverrides: { paper: { border: `1px solid ${inks.line}`, borderRadius: 10, boxShadow: 'var(--lift)' } },
    },
    MuiDialog: {
      styleOverrides: {
        paper: {
          borderRadius: 14,
          backgroundColor: inks.raise,
          boxShadow: 'var(--lift)',
          margin: 16,
          maxWidth: 'calc(100% - 32px)',
          // It has the focus until something in it is chosen, which is no place of its own.
          '&:focus-visible': { outline: 'none' },
        },
      },
    },
    MuiDrawer: {
      styleOverrides: { paper: { backgroundColor: inks.raise, borderColor: inks.line, boxShadow: 'var(--lift)' } },
    },
    MuiBackdrop: {
      styleOverrides: { root: { '&:not(.MuiBackdrop-invisible)': { backgroundColor: 'var(--scrim)' } } },
    },
    MuiTooltip: {
      defaultProps: { enterDelay: 400 },
      styleOverrides: { tooltip: { backgroundColor: inks.ink, color: inks.surface, fontSize: 12, fontWeight: 400 } },
    },
    MuiTableCell: {
      styleOverrides: {
        root: { borderColor: inks.line, fontSize: 13, padding: '0 10px', height: 36 },
        head: { color: inks.muted, fontSize: 12, fontWeight: 400, height: 34 },
      },
    },
    MuiTab: { styleOverrides: { root: { textTransform: 'none', minHeight: 40, fontSize: 13 } } },
    MuiSnackbarContent: {
      styleOverrides: { root: { backgroundColor: inks.ink, color: inks.surface, borderRadius: 10, fontSize: 13 } },
    },
  };
}

function theme(inks: Inks): RaThemeOptions {
  return {
    palette: {
      mode: inks.mode,
      primary: { main: inks.ink, contrastText: inks.surface },
      secondary: ACCENT,
      error: { main: inks.danger },
      warning: { main: inks.warning },
      success: { main: inks.positive },
      info: { main: inks.engrave },
      text: { primary: inks.ink, secondary: inks.muted, disabled: inks.muted },
      background: { default: inks.surface, paper: inks.raise },
      divider: inks.line,
    },
    typography: {
      fontFamily: FONT,
      fontSize: 13,
      fontWeightRegular: 350,
      fontWeightMedium: 500,
      fontWeightBold: 600,
    },
    shape: { borderRadius: 8 },
    components: { ...buttons(inks), ...fields(inks), ...surfaces(inks) },
  };
}

export const lightTheme = theme(LIGHT);
export const darkTheme = theme(DARK);
