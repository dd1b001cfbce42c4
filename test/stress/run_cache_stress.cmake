# A small round of cache_stress in a folder that is new and goes again.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${STRESS} 4 12 ${FOLDER} RESULT_VARIABLE failed)
file(REMOVE_RECURSE ${FOLDER})
if(failed)
  message(FATAL_ERROR "cache_stress: ${failed}")
endif()
