// SPDX-License-Identifier: Apache-2.0
// A source that keeps no rule: the check must accuse it.
