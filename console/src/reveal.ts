import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from './api.ts'
import { idOfSession, useSession } from './session.tsx'

const KEY = 'laurel-revealing'

/**
 * Unmasked personal data of a player: asked for by one click in a session, which then holds for every player whose page is opened. The service
 * records each opening (decision 133), and what it told is forgotten with the page.
 */
export function useReveal(userId: string) {
  const { session } = useSession()
  const sessionId = idOfSession(session)
  const [revealedIn, setRevealedIn] = useState(() => localStorage.getItem(KEY))
  const isOn = revealedIn === sessionId
  const { data, error, refetch } = useQuery({
    queryKey: ['revealed', sessionId, userId, isOn],
    queryFn: ({ signal }) =>
      ask('GET /api/admin/players/:user_id', { params: { user_id: userId }, query: { reveal: 'true' } }, signal),
    enabled: isOn,
    // Asking again would be recorded as another look.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const set = (on: boolean) => {
    localStorage.setItem(KEY, on ? sessionId : '')
    setRevealedIn(on ? sessionId : '')
  }
  return { person: data, error, retry: refetch, isOn, set }
}
