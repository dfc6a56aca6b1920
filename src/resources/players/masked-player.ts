import { masked, maskedId, maskedName, maskedStart } from '../../routing/masking.ts'
import type { StoredPlayer } from './store.ts'

/** A player without identifying data; empty fields stay empty. Gender, state, district and country stay: statistics need them. */
export function maskedPlayer(player: StoredPlayer): StoredPlayer {
  return {
    ...player,
    user_id: maskedId(player.user_id),
    name: maskedName(player.name),
    email: maskedStart(player.email),
    phone: masked(player.phone),
    address: masked(player.address),
    date_of_birth: player.date_of_birth === null ? null : masked(player.date_of_birth),
    refer_code: maskedId(player.refer_code),
    referred_by: maskedId(player.referred_by),
    pincode: masked(player.pincode),
  }
}
