import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { yamlColours } from './yaml-colours.ts'

/** An issue of a program or its test orders, as the check responds. */
export type Issue = RouteResponse<'POST /api/admin/programs/check'>['faults'][number]

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--warn)' },
])
const yaml = StreamLanguage.define(yamlColours)
const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--canvas)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-line': { padding: '0 12px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--side)', color: 'var(--quiet)', border: '0' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  // Instead of images in the style sheet, which the content security policy refuses.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lint-marker-error': { content: '"!"', color: 'var(--bad)', fontWeight: '700', textAlign: 'center' },
})

/**
 * A text editor. It is in a shadow root, where CodeMirror uses adopted style sheets: the content security policy would refuse a style element.
 * Tab leaves it. `words` complete what is typed.
 */
export function Editor({
  name,
  value,
  onChange,
  issues = [],
  words = [],
  readOnly = false,
}: Readonly<{
  name: string
  value: string
  onChange?: (value: string) => void
  issues?: readonly Issue[]
  words?: readonly Readonly<{ label: string; detail: string }>[]
  readOnly?: boolean
}>) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const current = useRef({ onChange, words })
  current.current = { onChange, words }
  /** What was typed and has not come back as `value` yet. */
  const typed = useRef<string[]>([])

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const parent = document.createElement('div')
    root.replaceChildren(parent)
    const complete = (context: CompletionContext) => {
      const word = context.matchBefore(/[\w-]+/)
      if (word === null && !context.explicit) return null
      return {
        from: word?.from ?? context.pos,
        options: current.current.words.map((one) => ({ ...one, type: 'property' })),
      }
    }
    view.current = new EditorView({
      parent,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          bracketMatching(),
          syntaxHighlighting(colours),
          theme,
          EditorView.lineWrapping,
          yaml,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': name }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            const text = update.state.doc.toString()
            typed.current.push(text)
            current.current.onChange?.(text)
          }),
          autocompletion({ override: [complete] }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        ],
      }),
    })
    return () => view.current?.destroy()
  }, [name, readOnly])

  useEffect(() => {
    const shown = view.current
    if (shown === null) return
    // A fast typist is ahead of what comes back: only a text from elsewhere replaces theirs.
    const index = typed.current.lastIndexOf(value)
    typed.current.splice(0, index + 1)
    if (index >= 0 || shown.state.doc.toString() === value) return
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const shown = view.current
    if (shown === null) return
    const { doc } = shown.state
    const diagnostics = issues.map(({ path, line = 1, column, error, see }): Diagnostic => {
      const { from, to, text } = doc.line(Math.max(1, Math.min(line, doc.lines)))
      const begins = column === undefined ? from + text.search(/\S|$/) : Math.min(to, from + column - 1)
      return {
        from: begins,
        to: Math.max(begins, to),
        severity: 'error',
        message: `${path === '' ? '' : `${path}: `}${error}${see === undefined ? '' : `\nsee ${see}`}`,
      }
    })
    shown.dispatch(setDiagnostics(shown.state, diagnostics))
  }, [issues])

  return <div ref={host} className="editor" />
}
