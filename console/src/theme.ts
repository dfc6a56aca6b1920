import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'laurel-theme'

/** Shows the theme that was chosen in this browser, or the system's. */
export function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme)
  return [
    theme,
    (chosen) => {
      localStorage.setItem(KEY, chosen)
      setTheme(chosen)
      applyTheme()
    },
  ]
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}
