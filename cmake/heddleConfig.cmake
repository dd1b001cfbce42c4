# find_package(heddle): the targets heddle::ir, heddle::transform, heddle::target and heddle::runtime.
include(CMakeFindDependencyMacro)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(fmt)
find_dependency(Threads)
find_dependency(nlohmann_json)
find_dependency(ISL)
list(REMOVE_ITEM CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/heddleTargets.cmake)
